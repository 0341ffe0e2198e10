//! The limit: a blocking ping-pong of as many bytes, without HTTP or SOAP.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use crate::measure::{Spread, each, pin};

pub(crate) fn ping_pong(calls: usize, out: usize, back: usize, core: usize) -> std::io::Result<Spread> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let server = std::thread::spawn(move || {
        pin(core);
        let Ok((mut stream, _)) = listener.accept() else {
            return;
        };
        let _ = stream.set_nodelay(true);
        let (mut request, reply) = (vec![0; out], vec![b'x'; back]);
        while stream.read_exact(&mut request).is_ok() && stream.write_all(&reply).is_ok() {}
    });
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let (request, mut reply) = (vec![b'x'; out], vec![0; back]);
    let spread = each(calls, || {
        stream.write_all(&request).expect("the peer reads until we close");
        stream
            .read_exact(&mut reply)
            .expect("the peer answers every request");
    });
    drop(stream);
    let _ = server.join();
    Ok(spread)
}
