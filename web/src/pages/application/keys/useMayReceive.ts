import { useApp } from '../../../session/app'

/** New values go to those who may manage keys and may also receive what is in them. */
export function useMayReceive(): boolean {
  const { mayChange } = useApp()
  return mayChange('key:manage') && mayChange('key:reveal')
}
