/** Looks into the event store of a stopped server, using the same engine on the same folder. */
import { spawn } from 'node:child_process'
import { readdirSync, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { binary } from './server'

/** The library npm installed for this platform. */
export function engineLibrary(): string {
  const packages = resolve(import.meta.dirname, '../../node_modules/@chdb')
  const files = readdirSync(packages).flatMap((name) =>
    ['libchdb.so', 'libchdb.dylib'].map((file) => join(packages, name, file)),
  )
  const found = files.find((file) => existsSync(file))
  if (!found) throw new Error('npm ci brings the event engine')
  return found
}

export async function queryEvents(
  dataFolder: string,
  sql: string,
): Promise<Record<string, unknown>[]> {
  const secret = 'a secret of this test'
  const child = spawn(binary, ['engine'], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const path = join(dataFolder, 'events', 'tables')
    const connections = { reads: 1, writes: 1 }
    const order = { secret, path, library: engineLibrary(), memory_mb: 1024, connections }
    child.stdin.write(`${JSON.stringify(order)}\n`)
    const lines = createInterface({ input: child.stdout })
    const first = await new Promise<string>((found) => lines.once('line', found))
    const { port } = JSON.parse(first) as { port: number }
    const response = await fetch(`http://127.0.0.1:${port}/?database=atrium`, {
      method: 'POST',
      headers: { 'x-clickhouse-key': secret },
      body: `${sql} FORMAT JSONEachRow`,
    })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    const rows = text.split('\n').filter(Boolean)
    return rows.map((line) => JSON.parse(line) as Record<string, unknown>)
  } finally {
    const ended = new Promise((done) => child.once('exit', done))
    child.stdin.end()
    await ended
  }
}
