import { useApp } from '../../../session/app'

/** New values go to people who may manage keys and also see them. */
export function useMayReceive(): boolean {
  const { mayChange } = useApp()
  return mayChange('key:manage') && mayChange('key:reveal')
}
