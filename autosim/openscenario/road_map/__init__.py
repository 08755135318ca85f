"""OpenDRIVE roads as a scenario sees them: poses at lanes, the nearest road, ways along lanes."""
