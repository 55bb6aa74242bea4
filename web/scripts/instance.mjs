/** Fresh instances for scripts, one with sample data, and a browser to view it with. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

export const root = resolve(import.meta.dirname, '../..')
const binary = process.env.ATRIUM_BIN ?? join(root, 'dist/atrium')

export const executablePath = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
].find((path) => path && existsSync(path))

/** Drops the developer's settings: an ATRIUM_* variable would change the server. */
function environment(settings) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('ATRIUM_'))
  return { ...Object.fromEntries(own), ...settings }
}

/** A data folder for one run, and the program to run on it; `settings` are ATRIUM_* variables. */
export function newInstance(settings = {}) {
  const data = mkdtempSync(join(tmpdir(), 'atrium-instance-'))
  const place = ['--data-dir', data, '--log', 'warn']
  const env = environment(settings)
  return {
    /** Runs a command to completion and returns its output. */
    command: (words, input = '') =>
      execFileSync(binary, [...words, ...place], {
        env,
        input,
        encoding: 'utf8',
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    serve: () => serve(['serve', '--listen', '127.0.0.1:0', ...place], env),
    remove: () => rmSync(data, { recursive: true, force: true }),
  }
}

async function serve(words, env) {
  const server = spawn(binary, words, { stdio: ['ignore', 'pipe', 'inherit'], env })
  const ended = new Promise((done) => server.once('exit', done).once('error', done))
  const listening = new Promise((found) => {
    createInterface({ input: server.stdout }).on('line', (line) => {
      const match = /listening on (http:\S+)/.exec(line)
      if (match) found(match[1])
    })
  })
  const failed = ended.then((why) => Promise.reject(new Error(`the server did not start: ${why}`)))
  return {
    url: await Promise.race([listening, failed]),
    ended,
    async stop() {
      server.kill('SIGTERM')
      await ended
    },
  }
}

/** The same number always produces the same events, so screenshots change only with the console. */
export async function startInstance(events) {
  const instance = newInstance()
  try {
    const sample = ['--events', String(events), '--seed', '20', '--json']
    const demo = JSON.parse(instance.command(['demo', ...sample]))
    const { url, stop } = await instance.serve()
    return { url, demo, stop: () => stop().finally(instance.remove) }
  } catch (error) {
    instance.remove()
    throw error
  }
}

/** The member who belongs to this team only and can see all of it. */
export function personOf(demo, team) {
  return demo.people.find(({ teams: [only, more] }) => only.name === team.name && !more)
}
