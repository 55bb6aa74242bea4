/** Starts the stand-ins, each on a port of its own. */
import { startDns } from './dns.mjs'
import { startFeishu } from './feishu.mjs'
import { startOidc } from './oidc.mjs'
import { startWechatWork } from './wechatwork.mjs'

export const ALL = ['oidc', 'wechatwork', 'feishu', 'dns']

/** Without `portBase`, the system picks the ports. */
export async function startStandins({ only = ALL, portBase } = {}) {
  const port = (offset) => (portBase ? portBase + offset : 0)
  const places = {}
  const started = []
  const start = async (name, make) => {
    if (!only.includes(name)) return
    const standin = await make()
    started.push(standin)
    if (name === 'dns')
      Object.assign(places, { dns: standin.address, dns_control: standin.control })
    else places[name] = standin.url
  }
  await start('oidc', () => startOidc({ port: port(0) }))
  await start('wechatwork', () => startWechatWork({ port: port(1) }))
  await start('feishu', () => startFeishu({ port: port(2) }))
  await start('dns', () => startDns({ port: port(3), controlPort: port(4) }))
  return { places, close: () => started.forEach((standin) => standin.close()) }
}
