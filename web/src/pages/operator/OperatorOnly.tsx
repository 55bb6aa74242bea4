import { Refused } from '../../components/Refused'
import { useUser } from '../../session/useUser'

/** Pages of those who run the instance. Whoever else followed a link here is told so. */
export function OperatorOnly({ children }: { children: React.ReactNode }) {
  return useUser()?.operator ? children : <Refused />
}
