"""Fitting the calibrated constants, and what the fit is sensitive to."""
