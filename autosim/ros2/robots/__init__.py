"""Messages of whole robots and of traffic: odometry, transforms, joints, vehicle reports, truth."""
