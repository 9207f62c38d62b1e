"""TBR603: deterministic mode without the variable that cuBLAS reads, for torch before 2.10."""
