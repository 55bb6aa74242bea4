/** The health of this installation's instances, for operators. */
import { queryOptions } from '@tanstack/react-query'
import { call, http } from './client'
import { quietOnceShown } from './queryClient'
import type { components } from './schema'

export type InstanceHealth = components['schemas']['InstanceHealth']
export type HealthStatus = components['schemas']['HealthStatus']
export type HealthProblem = components['schemas']['Problem']
export type FleetInstance = components['schemas']['FleetInstance']
export type FleetLease = components['schemas']['FleetLease']
export type JobRun = components['schemas']['JobRun']
export type StoreHealth = components['schemas']['StoreHealth']

/** How often instances send a heartbeat. */
const REFRESH_MS = 15_000

export const instanceHealthQuery = queryOptions({
  queryKey: ['instanceHealth'],
  queryFn: (context): Promise<InstanceHealth> =>
    call(http.GET('/instance/health', { signal: context.signal }), quietOnceShown(context)),
  staleTime: 0,
  refetchInterval: REFRESH_MS,
  refetchOnWindowFocus: true,
})
