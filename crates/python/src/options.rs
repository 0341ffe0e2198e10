//! Settings from Python: a dict that `castile._options` has put together and named.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use castile_endpoint::{
    Cache, ClientOptions, Differential, LoadOptions, Location, Pool, Receiving, Reuse, Stuffing, Widths,
};
use castile_http::{Auth, Compression, Proxy, Redirects, Tls, Url};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Reads one setting after the other; what is absent or `None` keeps its default.
pub(crate) struct Settings<'d, 'py>(pub(crate) &'d Bound<'py, PyDict>);

impl<'py> Settings<'_, 'py> {
    pub(crate) fn get<T>(&self, name: &str) -> PyResult<Option<T>>
    where
        T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
    {
        match self.0.get_item(name)? {
            Some(value) if !value.is_none() => value.extract().map(Some),
            _ => Ok(None),
        }
    }

    /// A setting that is any object.
    pub(crate) fn object(&self, name: &str) -> PyResult<Option<Py<PyAny>>> {
        let value = self.0.get_item(name)?;
        Ok(value.filter(|v| !v.is_none()).map(Bound::unbind))
    }

    pub(crate) fn set<T>(&self, name: &str, target: &mut T) -> PyResult<()>
    where
        T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
    {
        if let Some(value) = self.get(name)? {
            *target = value;
        }
        Ok(())
    }

    fn seconds(&self, name: &str, target: &mut Option<Duration>) -> PyResult<()> {
        if let Some(seconds) = self.get::<f64>(name)? {
            *target = Some(duration(seconds)?);
        }
        Ok(())
    }
}

/// Seconds as a duration.
pub(crate) fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err(format!("{seconds} is no number of seconds")))
}

/// Where a contract is: bytes, and a text that begins with a tag, are the document itself,
/// everything else is a path or URL.
pub(crate) fn location(at: &Bound<'_, PyAny>) -> PyResult<Location> {
    if let Ok(bytes) = at.extract::<Vec<u8>>()
        && !at.is_instance_of::<pyo3::types::PyString>()
    {
        return Ok(Location::Bytes {
            bytes,
            base: String::new(),
        });
    }
    if let Ok(text) = at.extract::<String>() {
        let is_document = text.trim_start().starts_with('<');
        return Ok(match is_document {
            true => Location::Bytes {
                bytes: text.into_bytes(),
                base: String::new(),
            },
            false => Location::At(text),
        });
    }
    let path: PathBuf = at.extract()?;
    Ok(Location::At(path.to_string_lossy().into_owned()))
}

pub(crate) fn load_options(settings: &Settings<'_, '_>) -> PyResult<LoadOptions> {
    let mut load = LoadOptions::default();
    settings.set("catalogs", &mut load.catalogs)?;
    settings.set("offline", &mut load.offline)?;
    load.cache = match (
        settings.get::<bool>("cache_off")?,
        settings.get::<PathBuf>("cache_at")?,
    ) {
        (Some(true), _) => Cache::Off,
        (_, Some(folder)) => Cache::At(folder),
        _ => Cache::Default,
    };
    load.http = http_options(settings)?;
    Ok(load)
}

pub(crate) fn client_options(settings: &Settings<'_, '_>) -> PyResult<ClientOptions> {
    let mut options = ClientOptions {
        load: load_options(settings)?,
        ..ClientOptions::default()
    };
    options.endpoint = settings.get("endpoint")?;
    options.service = settings.get("service")?;
    options.port = settings.get("port")?;
    options.digits = settings.get("digits")?;
    options.share_texts = settings.get("share_texts")?.unwrap_or(false);
    settings.set("strict", &mut options.strict)?;
    settings.set("http_headers", &mut options.http_headers)?;
    settings.set("depth_max", &mut options.limits.depth_max)?;
    options.http = http_options(settings)?;
    options.layers = crate::layers::client_layers(settings)?;
    static SENT: LazyLock<Pool> = LazyLock::new(Pool::new);
    options.differential = differential(settings, &SENT)?;
    options.receiving = receiving(settings)?;
    Ok(options)
}

/// How messages are read by what was learned of the last ones.
pub(crate) fn receiving(settings: &Settings<'_, '_>) -> PyResult<Receiving> {
    let mut options = Receiving::default();
    let enabled = settings.get::<bool>("differential_enabled")?.unwrap_or(true);
    let receive = settings.get::<bool>("differential_receive")?.unwrap_or(true);
    options.enabled = enabled && receive;
    settings.set("differential_keep", &mut options.values)?;
    settings.set("differential_keep_bytes", &mut options.values_budget_bytes)?;
    settings.set("differential_ahead", &mut options.ahead)?;
    settings.set("differential_parts", &mut options.parts)?;
    options.reuse = match settings.get::<String>("differential_reuse")?.as_deref() {
        None | Some("fresh") => Reuse::Fresh,
        Some("shared") => Reuse::Shared,
        Some("in_place") => Reuse::InPlace,
        Some(other) => {
            let why = format!("reuse is \"fresh\", \"shared\" or \"in_place\", not {other:?}");
            return Err(PyValueError::new_err(why));
        }
    };
    Ok(options)
}

/// Whether arrays are shared with other clients of this process, or with other services of it.
pub(crate) fn shares(settings: &Settings<'_, '_>) -> PyResult<Option<bool>> {
    settings.get("differential_share")
}

/// How messages are made from the last ones, with arrays in common with those that have `pool` if that is asked for.
pub(crate) fn differential(settings: &Settings<'_, '_>, pool: &Pool) -> PyResult<Differential> {
    let mut options = Differential::default();
    settings.set("differential_enabled", &mut options.enabled)?;
    settings.set("differential_pad", &mut options.pad)?;
    settings.set("differential_pad_between", &mut options.pad_between)?;
    settings.set("differential_values_min", &mut options.values_min)?;
    settings.set("differential_text_bytes_min", &mut options.text_bytes_min)?;
    settings.set("differential_chunk_bytes", &mut options.chunk_bytes)?;
    settings.set("differential_split_bytes", &mut options.split_bytes)?;
    settings.set("differential_reserve_bytes", &mut options.reserve_bytes)?;
    settings.set("differential_steal_reach", &mut options.steal_reach)?;
    settings.set("differential_slack_bytes", &mut options.slack_bytes)?;
    settings.set("differential_rebuild", &mut options.rebuild)?;
    options.rewrite_above = settings.get("differential_rewrite_above")?;
    settings.set("differential_one_pass", &mut options.one_pass)?;
    settings.set("differential_pauses", &mut options.pauses)?;
    settings.set("differential_verify", &mut options.verify)?;
    settings.set("differential_budget_bytes", &mut options.budget_bytes)?;
    settings.set("differential_spare_bytes", &mut options.spare_bytes)?;
    settings.set("differential_overlay_above", &mut options.overlay_above)?;
    settings.set("differential_structures_max", &mut options.structures_max)?;
    settings.set("differential_threads", &mut options.threads)?;
    options.pool = (shares(settings)? == Some(true)).then(|| pool.clone());
    if let Some(width) = settings.get("differential_stuffing")? {
        options.stuffing = Stuffing::Width(width);
    }
    if let Some((doubles, floats, integers)) = settings.get("differential_stuffing_types")? {
        options.stuffing = Stuffing::Types(Widths {
            doubles,
            floats,
            integers,
        });
    }
    match settings.get::<String>("differential_stuffing_name")?.as_deref() {
        None => {}
        Some("max") => options.stuffing = Stuffing::Max,
        Some("typical") => options.stuffing = Stuffing::Typical,
        Some(other) => {
            let why = format!("stuffing is a width, widths by type, \"max\" or \"typical\", not {other:?}");
            return Err(PyValueError::new_err(why));
        }
    }
    Ok(options)
}

fn http_options(settings: &Settings<'_, '_>) -> PyResult<castile_http::ClientOptions> {
    let mut http = castile_http::ClientOptions::default();
    settings.seconds("timeout_connect", &mut http.timeout_connect)?;
    settings.seconds("timeout_read", &mut http.timeout_read)?;
    settings.seconds("timeout_call", &mut http.timeout_call)?;
    http.tls = tls(settings)?;
    http.auth = auth(settings)?;
    http.proxy = proxy(settings)?;
    if settings.get::<bool>("follow_redirects")? == Some(true) {
        http.redirects = Redirects::Follow;
    }
    http.compress_request = match settings.get::<String>("compress")?.as_deref() {
        None => Compression::None,
        Some("gzip") => Compression::Gzip,
        Some("zstd") => Compression::Zstd,
        Some(other) => {
            return Err(PyValueError::new_err(format!(
                "compress is \"gzip\" or \"zstd\", not {other:?}"
            )));
        }
    };
    settings.set("reply_bytes_max", &mut http.body_bytes_max)?;
    settings.set("cookies", &mut http.cookies)?;
    settings.set("chunked", &mut http.chunked)?;
    Ok(http)
}

fn tls(settings: &Settings<'_, '_>) -> PyResult<Tls> {
    let mut tls = Tls::default();
    settings.set("tls_ca_files", &mut tls.ca_files)?;
    settings.set("tls_ca_pem", &mut tls.ca_pem)?;
    settings.set("tls_system_roots", &mut tls.system_roots)?;
    settings.set("tls_verify", &mut tls.verify)?;
    tls.client_cert_pem = settings.get("tls_cert_pem")?;
    tls.client_key_pem = settings.get("tls_key_pem")?;
    Ok(tls)
}

fn auth(settings: &Settings<'_, '_>) -> PyResult<Auth> {
    let Some((kind, first, second)) = settings.get::<(String, String, String)>("auth")? else {
        return Ok(Auth::None);
    };
    Ok(match &*kind {
        "basic" => Auth::Basic {
            user: first,
            password: second,
        },
        "digest" => Auth::Digest {
            user: first,
            password: second,
        },
        _ => Auth::Bearer(first),
    })
}

fn proxy(settings: &Settings<'_, '_>) -> PyResult<Proxy> {
    match settings.get::<String>("proxy")?.as_deref() {
        None => Ok(Proxy::Environment),
        Some("") => Ok(Proxy::None),
        Some(url) => {
            let url = Url::parse(url);
            Ok(Proxy::Url(url.map_err(|e| {
                PyValueError::new_err(format!("the proxy is no URL: {e}"))
            })?))
        }
    }
}
