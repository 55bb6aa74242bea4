/**
 * What all stand-ins share: a server on loopback, and switches under `/_control/` that make it
 * misbehave on demand. A switch is a POST with JSON; GET `/_control/seen` reports the requests so
 * far.
 */
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const BODY_LIMIT = 64 * 1024

/**
 * `answer(request, response)` is the stand-in itself, `switches` its own controls by name, `seen()`
 * what it reports about past requests, and `reset()` its return to the initial state. With
 * `readsFirst`, a delayed request is read before it waits, so it counts even if the client hangs
 * up.
 */
export async function serve({ port = 0, answer, switches = {}, seen, reset, readsFirst = false }) {
  const trouble = { seconds: 0, down: false }
  const controls = {
    hang: ({ seconds }) => void (trouble.seconds = seconds),
    down: ({ down }) => void (trouble.down = down),
    reset: () => {
      Object.assign(trouble, { seconds: 0, down: false })
      reset()
    },
    ...switches,
  }

  async function control(name, request, response) {
    if (request.method === 'GET' && name === 'seen') return json(response, 200, seen())
    const known = request.method === 'POST' && Object.hasOwn(controls, name)
    if (!known) return json(response, 404, { error: `there is no control ${name}` })
    json(response, 200, (await controls[name](await readJson(request))) ?? {})
  }

  const server = createServer(async (request, response) => {
    try {
      const { pathname } = address(request)
      if (pathname.startsWith('/_control/')) {
        return await control(pathname.slice('/_control/'.length), request, response)
      }
      if (trouble.seconds) {
        if (readsFirst) await readBody(request)
        await sleep(trouble.seconds * 1000)
      }
      if (trouble.down) return json(response, 503, { error: 'down' })
      await answer(request, response)
    } catch (error) {
      if (!response.headersSent) json(response, 400, { error: error.message })
    }
  })
  await new Promise((listening, failed) => {
    server.once('error', failed).listen(port, '127.0.0.1', listening)
  })
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

export function address(request) {
  return new URL(request.url, 'http://127.0.0.1')
}

const bodies = new WeakMap()

/** A request's body, even if it has been read before. */
export function readBody(request) {
  if (!bodies.has(request)) bodies.set(request, readOnce(request))
  return bodies.get(request)
}

async function readOnce(request) {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk
    if (body.length > BODY_LIMIT) throw new Error('the body is too long')
  }
  return body
}

export async function readJson(request) {
  return JSON.parse((await readBody(request)) || '{}')
}

export function json(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(value))
}

export function redirect(response, location) {
  response.writeHead(303, { location, 'content-length': 0 }).end()
}

/** Whether a redirect URI leads back to an Atrium on this machine. */
export function isCallback(uri, provider) {
  return new RegExp(
    `^http://(127\\.0\\.0\\.1|localhost|\\[::1\\])(:\\d+)?/api/v1/${provider}/callback$`,
  ).test(uri)
}

/** Counts requests by name. */
export function counter() {
  const counts = {}
  return {
    counts,
    count: (name) => void (counts[name] = (counts[name] ?? 0) + 1),
    clear: () => Object.keys(counts).forEach((name) => delete counts[name]),
  }
}
