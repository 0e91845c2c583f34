//! SQLite behind the storage seam.
