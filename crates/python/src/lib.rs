//! The Python and NumPy front of Castile
