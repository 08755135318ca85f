"""Study files, and the attributes of other files that studies set."""
