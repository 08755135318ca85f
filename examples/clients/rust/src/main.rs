//! A client of AutoSim in Rust, from proto/ alone: reads states, drives a robot in lockstep, takes a picture.
//!
//!     client states  ADDRESS NODE COUNT           the first numbers of a node in COUNT states
//!     client program ADDRESS ROBOT ACTUATOR STEPS VALUES...   sets an actuator, step by step
//!     client camera  ADDRESS ROBOT CAMERA FILE    writes a picture of a camera (rgb) as PPM
//!
//! The token comes from $AUTOSIM_TOKEN (`autosim ctl token make --role drive --robot ROBOT`); gRPC is HTTP/2 with five bytes before each message: a zero and the length.
use bytes::{BufMut, Bytes, BytesMut};
use prost::Message;
use std::error::Error;

#[allow(dead_code)]
mod pb { include!(concat!(env!("OUT_DIR"), "/autosim.v1.rs")); }
use pb::{program_message as out, server_message::Kind};
type Result<T> = std::result::Result<T, Box<dyn Error>>;
/// A call: messages go out and come in.
struct Call {
    send: h2::SendStream<Bytes>,
    receive: (Option<h2::client::ResponseFuture>, Option<h2::RecvStream>, BytesMut),
}

impl Call {
    fn send(&mut self, message: &impl Message, is_last: bool) -> Result<()> {
        let mut data = BytesMut::new();
        data.put_u8(0);
        data.put_u32(message.encoded_len() as u32);
        message.encode(&mut data)?;
        Ok(self.send.send_data(data.freeze(), is_last)?)
    }

    /// The next message; an error at the end of the call, with its reason.
    async fn receive<T: Message + Default>(&mut self) -> Result<T> {
        let (response, body, rest) = &mut self.receive;
        if let Some(response) = response.take() {
            let (head, stream) = response.await?.into_parts();
            reason(&head.headers)?;
            *body = Some(stream);
        }
        let body = body.as_mut().ok_or("the call has ended")?;
        let length = |rest: &[u8]| rest.get(1..5).map(|each| u32::from_be_bytes(each.try_into().unwrap()));
        while length(rest).map_or(true, |size| rest.len() < 5 + size as usize) {
            let Some(data) = body.data().await.transpose()? else {
                reason(&body.trailers().await?.unwrap_or_default())?;
                return Err("the call has ended".into());
            };
            body.flow_control().release_capacity(data.len())?;
            rest.extend_from_slice(&data);
        }
        let size = 5 + length(rest).unwrap_or(0) as usize;
        Ok(T::decode(rest.split_to(size).split_off(5))?)
    }
}

/// The error that the head or the end of a call reports, if any.
fn reason(headers: &http::HeaderMap) -> Result<()> {
    let text = |name: &str| headers.get(name).map(|each| String::from_utf8_lossy(each.as_bytes()));
    match text("grpc-status") {
        Some(code) if code != "0" => Err(text("grpc-message").unwrap_or(code).into_owned().into()),
        _ => Ok(()),
    }
}

struct Server { client: h2::client::SendRequest<Bytes>, world: pb::Description, tree: pb::Tree }

impl Server {
    async fn open(address: &str) -> Result<Server> {
        let stream = tokio::net::TcpStream::connect(address).await?;
        let (client, connection) = h2::client::handshake(stream).await?;
        tokio::spawn(async move { connection.await.ok() });
        let mut server = Server { client, world: pb::Description::default(), tree: pb::Tree::default() };
        let mut call = server.call("Describe").await?;
        call.send(&pb::DescribeRequest {}, true)?;
        server.world = call.receive().await?;
        server.tree = server.world.tree.take().ok_or("the server has no world")?;
        Ok(server)
    }

    async fn call(&self, method: &str) -> Result<Call> {
        let mut client = self.client.clone().ready().await?;
        let mut request = http::Request::post(format!("http://autosim/autosim.v1.Simulator/{method}"))
            .header("content-type", "application/grpc")
            .header("te", "trailers");
        if let Ok(token) = std::env::var("AUTOSIM_TOKEN") {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let (response, send) = client.send_request(request.body(())?, false)?;
        Ok(Call { send, receive: (Some(response), None, BytesMut::new()) })
    }

    /// The numbers of the node with a qualified name such as "car.chassis.velocimeter".
    fn numbers(&self, name: &str, state: &[u8]) -> Result<Vec<f64>> {
        let mut node = self.tree.root.as_ref().ok_or("no root")?;
        for part in name.split('.') {
            let found = node.children.iter().find(|each| each.name == part);
            node = found.ok_or_else(|| format!("there is no node '{name}'"))?;
        }
        let mut found = Vec::new();
        let plain = |each: &&pb::Field| each.r#type == 1 && each.columns.is_empty();
        for field in node.fields.iter().filter(plain) {
            let begin = field.offset as usize;
            let words = state.get(begin..begin + field.size as usize).unwrap_or_default();
            found.extend(words.chunks_exact(8).map(|each| f64::from_le_bytes(each.try_into().unwrap())));
        }
        Ok(found)
    }

    async fn states(&self, name: &str, count: usize) -> Result<()> {
        self.numbers(name, &[])?;
        let mut call = self.call("Subscribe").await?;
        let (layout_digest, plugins) = (self.world.layout_digest.clone(), self.tree.plugins.clone());
        let files = self.world.files.clone(); // it has no other files than the server
        let request = pb::SubscribeRequest { client: "main.rs".into(), layout_digest, files, plugins, ..Default::default() };
        call.send(&request, true)?;
        for _ in 0..count {
            let mut packet = Vec::new();
            while packet.len() <= 24 || packet[0] != 1 { packet = call.receive::<pb::Update>().await?.packet; }
            print(i64::from_le_bytes(packet[8..16].try_into()?), &self.numbers(name, &packet[24..])?);
        }
        Ok(())
    }

    /// Takes part in the step as the program of a robot: the simulation waits for it.
    async fn attach(&self, robot: &str) -> Result<(Call, pb::TurnStarted)> {
        let mut call = self.call("Participate").await?;
        let layout_digest = self.world.layout_digest.clone();
        let attach = pb::Attach { program: "main.rs".into(), robot: robot.into(), layout_digest };
        let Kind::TurnStarted(woken) = say(&mut call, out::Kind::Attach(attach)).await? else { return Err("no turn".into()) };
        Ok((call, woken))
    }
}

/// The end of a program: the simulation continues without it.
async fn leave(mut call: Call) -> Result<()> {
    call.send(&pb::ProgramMessage { kind: Some(out::Kind::Leave(pb::Leave::default())) }, true)?;
    call.receive::<pb::ServerMessage>().await.ok();
    Ok(())
}

/// Sends a message of a program; the next one of the server that is a turn or pictures.
async fn say(call: &mut Call, kind: out::Kind) -> Result<Kind> {
    call.send(&pb::ProgramMessage { kind: Some(kind) }, false)?;
    loop {
        match call.receive::<pb::ServerMessage>().await?.kind {
            Some(Kind::Refused(pb::Refused { reason, .. }) | Kind::Dismissed(pb::Dismissed { reason, .. })) => {
                return Err(reason.into())
            }
            Some(kind @ (Kind::TurnStarted(_) | Kind::Images(_))) => return Ok(kind),
            _ => (),
        }
    }
}

fn print(step: i64, values: &[f64]) {
    println!("{step} {}", values.iter().map(f64::to_string).collect::<Vec<_>>().join(" "));
}

async fn run(words: Vec<&str>) -> Result<()> {
    match words[..] {
        ["states", address, node, count] => Server::open(address).await?.states(node, count.parse()?).await,
        ["program", address, robot, actuator, steps, ref values @ ..] => {
            let server = Server::open(address).await?;
            let numbers = values.iter().map(|each| each.parse()).collect::<std::result::Result<Vec<f64>, _>>()?;
            let data: Vec<u8> = numbers.iter().flat_map(|each| each.to_le_bytes()).collect();
            let device = format!("{robot}.{actuator}");
            let (mut call, mut woken) = server.attach(robot).await?;
            for _ in 0..steps.parse::<usize>()? {
                let commands = vec![pb::Command { device: device.clone(), data: data.clone() }];
                let wait = pb::Wait { commands, until_step: woken.step + 1, ..Default::default() };
                let Kind::TurnStarted(next) = say(&mut call, out::Kind::Wait(wait)).await? else { continue };
                woken = next;
            }
            print(woken.step, &server.numbers(&device, &woken.state)?);
            leave(call).await
        }
        ["camera", address, robot, camera, file] => {
            let server = Server::open(address).await?;
            let (mut call, _) = server.attach(robot).await?;
            let images = vec![pb::ImageSpec { camera: format!("{robot}.{camera}"), kind: "rgb".into() }];
            let request = out::Kind::ImageRequest(pb::ImageRequest { images });
            let Kind::Images(found) = say(&mut call, request).await? else { return Err("no picture".into()) };
            let image = found.images.first().ok_or("no picture")?;
            let (begin, size) = (image.offset as usize, 3 * (image.width * image.height) as usize);
            let mut data = format!("P6 {} {} 255\n", image.width, image.height).into_bytes();
            data.extend(found.memory.get(begin..begin + size).ok_or("short picture")?);
            std::fs::write(file, data)?;
            leave(call).await
        }
        _ => Err("expected states, program or camera: see the first lines of main.rs".into()),
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    if let Err(error) = runtime.block_on(run(words.iter().map(String::as_str).collect())) {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}
