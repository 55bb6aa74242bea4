/**
 * Runs the real server for a test, with its own data folder and port; stopped and removed
 * afterwards.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { engineLibrary } from './engine'

export const binary = process.env.ATRIUM_BIN ?? resolve(import.meta.dirname, '../../dist/atrium')

if (!existsSync(binary)) {
  throw new Error(`There is no server at ${binary}: run "make build" or set ATRIUM_BIN.`)
}

/** Drops the developer's settings: an ATRIUM_* variable would change the server. */
const environment = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('ATRIUM_')),
  ),
  // Every owner would see the notice on every page; it is tested in layouts/FactorNotice.test.tsx.
  ATRIUM_PRIVILEGED_MFA: 'false',
  // Every page would load the client and record itself, an eighth of its time. Tested in
  // reports.spec.ts.
  ATRIUM_ERROR_REPORTS: 'false',
}

export interface Account {
  email: string
  name: string
  organization: string
  password: string
}

export interface Server {
  url: string
  /** Holds the database and, without a mail server, the emails. */
  dataFolder: string
  /** The link that creates the first account; only an empty instance prints one. */
  setupLink: Promise<string>
}

const START_LIMIT_MS = 20_000
const STOP_LIMIT_MS = 10_000

export async function withDataFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-e2e-'))
  try {
    await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function createAccount(
  dataFolder: string,
  account: Account,
): { user_id: string; org_id: string } {
  const { email, name, organization, password } = account
  const flags = [
    '--email',
    email,
    '--name',
    name,
    '--organization',
    organization,
    '--password-stdin',
  ]
  const printed = execFileSync(
    binary,
    ['admin', 'create-user', '--data-dir', dataFolder, ...flags],
    {
      input: password,
      env: environment,
      encoding: 'utf8',
    },
  )
  return JSON.parse(printed) as { user_id: string; org_id: string }
}

/** The sign-in link an operator prints for someone who is locked out, as a path with its token. */
export function signInLink(dataFolder: string, email: string): string {
  const flags = ['--data-dir', dataFolder, '--email', email]
  const printed = execFileSync(binary, ['admin', 'sign-in-link', ...flags], {
    env: environment,
    encoding: 'utf8',
  })
  const { link } = JSON.parse(printed) as { link: string }
  const { pathname, hash } = new URL(link)
  return pathname + hash
}

export async function withServer(
  dataFolder: string,
  use: (server: Server) => Promise<void>,
  /** Settings beyond the folder and the port, e.g. `--registration invite`. */
  flags: string[] = [],
  /** An earlier server's port, for pages still open. By default, a free port. */
  port = '0',
): Promise<void> {
  const { server, stop } = await startServer(dataFolder, flags, port)
  try {
    await use(server)
  } finally {
    await stop()
  }
}

async function startServer(dataFolder: string, flags: string[], port: string) {
  const place = ['--listen', `127.0.0.1:${port}`, '--data-dir', dataFolder]
  const engine = ['--engine-library', engineLibrary(), '--engine-memory-mb', '1024']
  const child = spawn(binary, ['serve', ...place, ...engine, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment,
  })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))

  const lines = createInterface({ input: child.stdout })
  const printed = (pattern: RegExp) =>
    new Promise<string>((found) => {
      lines.on('line', (line) => {
        const match = pattern.exec(line)
        if (match) found(match[0])
      })
    })
  const setupLink = printed(/http:\/\/\S+\/emailValidator\/\S+/)
  const listening = printed(/(?<=listening on )http:\/\/\S+/)

  try {
    const url = await Promise.race([listening, failure(child, () => log)])
    return { server: { url, dataFolder, setupLink }, stop: () => stop(child) }
  } catch (error) {
    await stop(child)
    throw error
  }
}

function failure(child: ChildProcess, log: () => string): Promise<never> {
  return new Promise((_, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${log()}`)))
    setTimeout(
      () => reject(new Error(`the server did not start:\n${log()}`)),
      START_LIMIT_MS,
    ).unref()
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  // A server that ignores the signal must not outlive the tests, nor go unnoticed.
  const force = setTimeout(() => {
    console.warn(`the server was still running ${STOP_LIMIT_MS / 1000} s after SIGTERM`)
    child.kill('SIGKILL')
  }, STOP_LIMIT_MS)
  await ended
  clearTimeout(force)
}
