/**
 * node tests/standins/run.mjs [--port-base N] [--only oidc,wechatwork,feishu,dns]
 *
 * Starts the stand-ins for other companies' servers on loopback and prints where they are as one
 * line of JSON. They end when standard input closes, or with SIGTERM.
 */
import { parseArgs } from 'node:util'
import { ALL, startStandins } from './start.mjs'

const { values } = parseArgs({
  options: { 'port-base': { type: 'string' }, only: { type: 'string' } },
})
const only = values.only?.split(',') ?? ALL
const unknown = only.filter((name) => !ALL.includes(name))
if (unknown.length) {
  console.error(`There is no stand-in called ${unknown.join(', ')}; there are ${ALL.join(', ')}.`)
  process.exit(2)
}

const end = () => process.exit(0)
process.stdin.on('end', end).on('close', end).resume()
process.on('SIGTERM', end).on('SIGINT', end)

const { places } = await startStandins({ only, portBase: Number(values['port-base'] ?? 0) })
console.log(JSON.stringify(places))
