//! Finds faces.
