//! The C interface of libchdb, and the few calls of the operating system that end a process which
//! has it loaded. The only file with `unsafe` in it.
//!
//! The library is never unloaded: its threads outlive every connection, and code that is gone under
//! a running thread is a crash.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::Path;
use std::ptr;
use std::sync::Arc;

use bytes::Bytes;
use libloading::Library;

/// `chdb_connection`: a pointer to a struct we never look into.
type Handle = *mut std::ffi::c_void;
/// `chdb_result *`.
type ResultHandle = *mut std::ffi::c_void;

type Connect = unsafe extern "C" fn(c_int, *mut *mut c_char) -> *mut Handle;
type CloseConnection = unsafe extern "C" fn(*mut Handle);
type Query = unsafe extern "C" fn(
    Handle,
    *const c_char,
    usize,
    *const c_char,
    usize,
    *const *const c_char,
    *const usize,
    *const *const c_char,
    *const usize,
    usize,
) -> ResultHandle;
type ResultBuffer = unsafe extern "C" fn(ResultHandle) -> *const u8;
type ResultLength = unsafe extern "C" fn(ResultHandle) -> usize;
type ResultError = unsafe extern "C" fn(ResultHandle) -> *const c_char;
type RowsRead = unsafe extern "C" fn(ResultHandle) -> u64;
type DestroyResult = unsafe extern "C" fn(ResultHandle);
type SetSignalHandlers = unsafe extern "C" fn(c_int);
type Shutdown = unsafe extern "C" fn() -> c_int;

struct Functions {
    connect: Connect,
    close: CloseConnection,
    query: Query,
    buffer: ResultBuffer,
    length: ResultLength,
    error: ResultError,
    /// Rows of tables that were read for a result.
    rows_read: RowsRead,
    destroy: DestroyResult,
    /// Since 26.7; with older libraries it is enough to close all connections.
    shutdown: Option<Shutdown>,
}

/// The loaded library.
#[derive(Clone)]
pub struct Chdb {
    functions: Arc<Functions>,
}

impl Chdb {
    /// Loads the library and keeps it from taking over the process's signal handlers.
    pub fn load(path: &Path) -> Result<Self, String> {
        // SAFETY: the initializers of libchdb have no conditions of their own, and the signatures
        // below are those of its header.
        unsafe {
            let library = Library::new(path).map_err(|error| error.to_string())?;
            let symbol = |name: &str| format!("{} has no {name}", path.display());
            macro_rules! find {
                ($name:literal, $kind:ty) => {
                    *library.get::<$kind>($name.as_bytes()).map_err(|_| symbol($name))?
                };
            }
            let set_signal_handlers: SetSignalHandlers =
                find!("chdb_set_signal_handlers_enabled", SetSignalHandlers);
            let functions = Functions {
                connect: find!("chdb_connect", Connect),
                close: find!("chdb_close_conn", CloseConnection),
                query: find!("chdb_query_with_params_n", Query),
                buffer: find!("chdb_result_buffer", ResultBuffer),
                length: find!("chdb_result_length", ResultLength),
                error: find!("chdb_result_error", ResultError),
                rows_read: find!("chdb_result_storage_rows_read", RowsRead),
                destroy: find!("chdb_destroy_query_result", DestroyResult),
                shutdown: library.get::<Shutdown>(b"chdb_shutdown").ok().map(|found| *found),
            };
            set_signal_handlers(0);
            std::mem::forget(library);
            Ok(Self { functions: Arc::new(functions) })
        }
    }

    /// Opens a session. The first one starts the engine with these arguments; later ones must name the
    /// same path.
    pub fn connect(&self, arguments: &[String]) -> Result<Connection, String> {
        let arguments: Vec<CString> = std::iter::once("clickhouse")
            .chain(arguments.iter().map(String::as_str))
            .map(CString::new)
            .collect::<Result<_, _>>()
            .map_err(|_| "an argument of the engine contains NUL".to_owned())?;
        let mut pointers: Vec<*mut c_char> =
            arguments.iter().map(|argument| argument.as_ptr().cast_mut()).collect();
        let count = c_int::try_from(pointers.len()).map_err(|error| error.to_string())?;
        // SAFETY: `pointers` holds `count` strings that live until the call returns.
        let inner = unsafe { (self.functions.connect)(count, pointers.as_mut_ptr()) };
        // SAFETY: not null, so it points at the connection's handle.
        if inner.is_null() || unsafe { *inner }.is_null() {
            return Err("the engine refused a connection".to_owned());
        }
        Ok(Connection { functions: self.functions.clone(), inner })
    }

    /// Joins the engine's threads, where the library can. Every connection must be closed.
    pub fn shutdown(&self) {
        if let Some(shutdown) = self.functions.shutdown {
            // SAFETY: takes nothing, and answers with an error while a connection is open.
            unsafe { shutdown() };
        }
    }
}

/// One session: its settings, its current database, one statement at a time.
pub struct Connection {
    functions: Arc<Functions>,
    inner: *mut Handle,
}

// SAFETY: a connection may move between threads; `&mut self` keeps it to one statement at a time.
unsafe impl Send for Connection {}

impl Connection {
    /// Runs one statement. Returns its whole output (the library's own buffer, not a copy) and how many
    /// rows were read for it.
    pub fn query(
        &mut self,
        statement: &str,
        params: &[(String, String)],
    ) -> Result<(Bytes, u64), String> {
        const FORMAT: &str = "TabSeparated";
        let names: Vec<*const c_char> =
            params.iter().map(|(name, _)| name.as_ptr().cast()).collect();
        let name_lengths: Vec<usize> = params.iter().map(|(name, _)| name.len()).collect();
        let values: Vec<*const c_char> =
            params.iter().map(|(_, value)| value.as_ptr().cast()).collect();
        let value_lengths: Vec<usize> = params.iter().map(|(_, value)| value.len()).collect();
        // SAFETY: every pointer comes with its length and lives until the call returns; the handle
        // is open as long as `self`.
        let result = unsafe {
            (self.functions.query)(
                *self.inner,
                statement.as_ptr().cast(),
                statement.len(),
                FORMAT.as_ptr().cast(),
                FORMAT.len(),
                names.as_ptr(),
                name_lengths.as_ptr(),
                values.as_ptr(),
                value_lengths.as_ptr(),
                params.len(),
            )
        };
        if result.is_null() {
            return Err("Code: 1001. DB::Exception: the engine gave no result".to_owned());
        }
        let output = Output { functions: self.functions.clone(), result };
        // SAFETY: the result is alive, and its error is null or a C string that lives as long.
        unsafe {
            let error = (self.functions.error)(result);
            if !error.is_null() {
                return Err(CStr::from_ptr(error).to_string_lossy().into_owned());
            }
        }
        // SAFETY: the result is alive until `output` is dropped.
        let rows_read = unsafe { (self.functions.rows_read)(result) };
        Ok((Bytes::from_owner(output), rows_read))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: opened by `connect`, closed once.
        unsafe { (self.functions.close)(self.inner) };
    }
}

/// A result of the library. It does not depend on the connection that gave it.
struct Output {
    functions: Arc<Functions>,
    result: ResultHandle,
}

// SAFETY: a finished result is memory that nobody else holds; it is only read and then freed.
unsafe impl Send for Output {}
// SAFETY: as above; reading it changes nothing.
unsafe impl Sync for Output {}

impl AsRef<[u8]> for Output {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the buffer holds `length` bytes until the result is destroyed.
        unsafe {
            let buffer = (self.functions.buffer)(self.result);
            let length = (self.functions.length)(self.result);
            if buffer.is_null() || length == 0 {
                return &[];
            }
            &*ptr::slice_from_raw_parts(buffer, length)
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // SAFETY: given by the library, destroyed once.
        unsafe { (self.functions.destroy)(self.result) };
    }
}

/// Ends the process at once. A plain `exit` would run the library's destructors under its threads.
pub fn end_process(code: c_int) -> ! {
    // SAFETY: ends the process without returning.
    unsafe { libc::_exit(code) }
}
