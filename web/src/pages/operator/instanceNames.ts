import type { InstanceHealth } from '../../api/health'

const SHORT = 8

/** What people call an instance: its machine, and enough of its id to tell two on one machine apart. */
export function instanceName({ instances }: InstanceHealth, holder: string): string {
  const [id = ''] = holder.split('/')
  const host = instances.find((instance) => instance.id === id)?.state.host
  const short = id.slice(0, SHORT)
  return host ? `${host} (${short})` : short
}
