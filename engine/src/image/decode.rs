//! From the bytes of an untrusted file to upright sRGB pixels, within bounds.
