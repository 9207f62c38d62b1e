"""TBR601: `cudnn.benchmark` beside a switch or a seeding that promises equal runs."""
