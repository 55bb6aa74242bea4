import { useQuery } from '@tanstack/react-query'
import { appPermissionsQuery, rolesQuery } from '../../api/roles'
import { useLanguageStore } from '../../i18n/store'
import { useApp } from '../../session/app'

/** People who manage members aren't necessarily allowed to see the roles. */
export function useRoles({ enabled = true } = {}) {
  const { app } = useApp()
  const language = useLanguageStore((state) => state.currentLang)
  return useQuery({ ...rolesQuery(app.id, language), enabled })
}

export function useAppPermissions() {
  return useQuery(appPermissionsQuery(useLanguageStore((state) => state.currentLang)))
}
