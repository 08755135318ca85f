#!/bin/bash
# The checklist of docs/ros2.md on a real ROS 2: each line says ok or FAILED. Takes ROBOT and LIDAR.
source /opt/ros/jazzy/setup.bash
# What ends by a time limit is to have printed what it found.
export PYTHONUNBUFFERED=1
robot=${1:-car} lidar=${2:-lidar}
failed=0

check() {
    local name=$1
    shift
    if timeout 20 "$@" > /tmp/found 2>&1 && grep -qE "$expected" /tmp/found; then
        echo "ok      $name"
    else
        echo "FAILED  $name: $*"
        tail -3 /tmp/found
        failed=1
    fi
}

expected='/clock \[rosgraph_msgs/msg/Clock\]' check "topics and types" \
    ros2 topic list -t --no-daemon --spin-time 5
expected='sec:' check "clock" ros2 topic echo --once /clock
expected='average rate' check "rate of a lidar" \
    bash -c "timeout 8 ros2 topic hz /$robot/$lidar/points; true"
expected='transforms' check "static transforms, late" \
    ros2 topic echo --once --qos-durability transient_local --qos-reliability reliable /tf_static
expected='<robot name' check "robot description" \
    ros2 topic echo --once --full-length --qos-durability transient_local "/$robot/robot_description"
expected='result=0|result: 0|features' check "services" \
    ros2 service call /simulation/get_simulator_features \
    simulation_interfaces/srv/GetSimulatorFeatures
expected='result=1' check "pausing" \
    ros2 service call /simulation/set_simulation_state \
    simulation_interfaces/srv/SetSimulationState '{state: {state: 2}}'
expected='SUCCEEDED' check "stepping, an action" \
    ros2 action send_goal --feedback /simulation/simulate_steps \
    simulation_interfaces/action/SimulateSteps '{steps: 5}'
expected='result=1' check "running" \
    ros2 service call /simulation/set_simulation_state \
    simulation_interfaces/srv/SetSimulationState '{state: {state: 1}}'
expected='publishing' check "driving" \
    ros2 topic pub --times 20 -r 10 "/$robot/cmd_vel" geometry_msgs/msg/Twist '{linear: {x: 3.0}}'
expected='linear' check "odometry" ros2 topic echo --once "/$robot/odom"
echo "simulation_interfaces $(ros2 pkg xml simulation_interfaces -t version); AutoSim has 2.1.0"
exit $failed
