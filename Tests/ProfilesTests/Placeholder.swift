// Profiles
