import { Refused } from '../../components/Refused'
import { useUser } from '../../session/useUser'

/** Restricts pages to operators, and explains that to anyone else. */
export function OperatorOnly({ children }: { children: React.ReactNode }) {
  return useUser()?.operator ? children : <Refused />
}
