"""The base class of the errors that a user can fix, and a map of all of them.

Commands catch `UserError` alone, print its message and end with exit code 1. The message states
what is wrong, where, and what to do. Every public subclass is in this tree:

    UserError
    ├── AccessError            access.private_files: a token, key or certificate
    ├── AttributePathError     loading.studies.attribute_paths: the address of an attribute
    ├── ChangedError           applications.sweeps.run_process: a file changed during a sweep
    ├── ClientError            client.link.client_errors: a client and its server
    │   ├── ConnectionLostError
    │   └── ServerRefusedError
    ├── CommandError           server.server_errors: the arguments of a command
    ├── ConfigError            config.diagnostics: an XML file, with all its diagnostics
    ├── DemandError            traffic.demand.route_resolution: routes of traffic
    ├── DriverError            alpasim.drive_client: a driver of AlpaSim
    ├── DriveInputsError       vehicle.runs.drive_inputs: a file of inputs for a vehicle
    ├── ForkError              engine.step.forks: a copy of a simulation
    ├── JoystickError          applications.driving.event_device: a joystick
    ├── ManipulatorError       tools.osm_manipulator.manipulator_errors: a map to be furnished
    │   └── CancelledError
    ├── MapError               vehicle.kinematic.lookup_maps: a lookup map of a vehicle
    ├── MeshError              kinds.bodies.mesh_file: a mesh file
    ├── ParameterError         kinds.kinematic.model_catalogue: a kinematic model's parameter
    ├── PathError              config.files.lookup: a path in a file
    ├── PlacementError         engine.engine_errors: the pose of a robot
    ├── PluginError            kinds.plugins: a plug-in
    ├── PositionError          traffic.scenarios.scenario_positions: a position in a scenario
    ├── ProgramOrderError      engine.programs.program_manager: starting, stopping a user program
    ├── RecordError            records.record_format: a record
    ├── RecordingError         applications.recording.film_recorder: a film of the screen
    ├── RendererError          client.panda.renderer_errors: the renderer
    ├── RequestError           config.request_checks: a field of a request
    ├── FmuDescriptionError    kinds.coupling.fmu_description: a file that is not an FMU
    ├── FmuError               fmi.fmu: an FMU
    ├── RobotValueError        kinds.coupling.robot_values: a value of a robot
    ├── RosMessageError        ros2.message_types: a message of ROS 2
    ├── UpdateRefusedError     osi.traffic_updates: a TrafficUpdate that cannot be obeyed
    ├── SandboxError           userprogram.process.sandbox: the sandbox of a user program
    ├── ServerError            server.server_errors: the server itself
    │   ├── AddressError
    │   ├── NoWorldError
    │   ├── SimulationCrashedError
    │   ├── StoppedError
    │   └── WorldError
    ├── ServiceError           alpasim.service_errors: a call of AlpaSim's runtime
    │   ├── InvalidRequestError
    │   ├── UnknownNameError
    │   └── UnsupportedError
    ├── ShareError             server.network.permissions.shares: too many calls of one client
    ├── SnapshotError          engine.engine_errors: a snapshot
    ├── StateMessageError      records.state_schema: a recorded state
    ├── StoppedSweepError      applications.sweeps.supervision: a sweep that cannot continue
    ├── SumoError              traffic.sumo.libsumo_loader: SUMO
    ├── TyreFileError          kinds.actuators.tyre_file: a tyre property file
    ├── UnknownPositionError   openscenario.engine.scenario_placement: a position in OpenSCENARIO
    ├── VideoError             applications.recording.video: a video file
    └── WorkerLostError        world.pipeline.forked_helpers: a helper process of the compiler

Packages beside this one add theirs, such as `autosim_testbench.backends.backend.BackendError`.
Other exceptions, such as `model.tree.TreeError`, stay inside the program: the code that knows the
file and the line turns them into one of these.
"""


class UserError(Exception):
    """An error that the user can fix: the message states what is wrong, where, and what to do."""
