import type { AccessKey } from '../../../api/keys'
import { ActionMenu } from '../../../components/ActionMenu'
import { Badge } from '../../../components/Badge'
import { CopyButton } from '../../../components/CopyButton'
import { Moment } from '../../../components/Moment'
import type { Column } from '../../../components/table/columns'
import { useNow } from '../../../components/useNow'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { expiresSoon } from './expiry'
import { By, LastUse } from './facts'
import styles from './keys.module.css'

export type KeyAction = 'rename' | 'expiry' | 'enable' | 'disable' | 'delete'

/** What can be done with a key in its current state: an expired one needs a new expiry first. */
export function keyActionsFor({ state }: Pick<AccessKey, 'state'>): KeyAction[] {
  const turns: Record<AccessKey['state'], KeyAction[]> = {
    active: ['disable'],
    disabled: ['enable'],
    expired: [],
  }
  return ['rename', 'expiry', ...turns[state], 'delete']
}

export function useAccessKeyColumns(
  onAction: (action: KeyAction, key: AccessKey) => void,
): Column<AccessKey>[] {
  const t = useT()
  const { mayChange } = useApp()
  const columns: Column<AccessKey>[] = [
    {
      key: 'name',
      title: t('accessKey.name'),
      sorts: true,
      heads: true,
      render: (key) => (
        <>
          {key.name}
          <span className={styles.keyId}>
            <code>{key.id}</code>
            <CopyButton compact text={key.id}>
              {t('accessKey.copyIdOf', { name: key.name })}
            </CopyButton>
          </span>
        </>
      ),
    },
    {
      key: 'state',
      title: t('accessKey.state'),
      width: 110,
      render: (key) => <StateBadge accessKey={key} />,
    },
    {
      key: 'last_used_at',
      title: t('keys.lastUsed'),
      sorts: true,
      width: 170,
      render: (key) => (
        <span className={styles.stacked}>
          <LastUse of={key} />
        </span>
      ),
    },
    {
      key: 'expires_at',
      title: t('accessKey.expires'),
      sorts: true,
      width: 130,
      render: ({ expires_at }) =>
        expires_at ? <Moment at={expires_at} /> : t('accessKey.expiry.never'),
    },
    {
      key: 'created_at',
      title: t('keys.created'),
      sorts: true,
      width: 150,
      render: (key) => (
        <span className={styles.stacked}>
          <Moment at={key.created_at} /> <By person={key.created_by} />
        </span>
      ),
    },
  ]
  if (!mayChange('key:manage')) return columns
  return [
    ...columns,
    {
      key: 'actions',
      title: t('common.actions'),
      actions: true,
      width: 64,
      render: (key) => (
        <ActionMenu
          label={t('table.actionsOf', { name: key.name })}
          actions={keyActionsFor(key).map((action) => ({
            key: action,
            label: t(`accessKey.do.${action}`),
            danger: action === 'delete',
            onChoose: () => onAction(action, key),
          }))}
        />
      ),
    },
  ]
}

const TONES = { active: 'success', soon: 'warning', expired: 'danger', disabled: 'soft' } as const

function StateBadge({ accessKey }: { accessKey: AccessKey }) {
  const t = useT()
  const state = expiresSoon(accessKey, useNow()) ? 'soon' : accessKey.state
  return <Badge tone={TONES[state]}>{t(`accessKey.state.${state}`)}</Badge>
}
