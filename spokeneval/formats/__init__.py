"""Submissions and references: files in, checked arrays out, or one refusal that lists every problem."""
