/**
 * Before something that hurts: says in numbers what it will hit, and where it cannot be undone at
 * once asks for the name to be typed.
 */
import type { UseQueryResult } from '@tanstack/react-query'
import { Button } from 'antd'
import { useForm, useWatch } from 'react-hook-form'
import { useT } from '../i18n/useT'
import { Counted } from './table/Counted'
import { Field } from './form/Field'
import { FormError } from './form/FormError'
import { TextInput } from './form/TextInput'
import { useSubmit } from './form/useSubmit'
import { FormDialog } from './FormDialog'
import { Loaded } from './Loaded'
import dialog from './dialog.module.css'
import styles from './DangerDialog.module.css'

export interface Hit {
  label: string
  /** Null where the server does not know. */
  count: number | null | undefined
  /** Counting stops there. */
  most?: number
}

interface DangerDialogProps<Impact, Answer> {
  title: string
  /** What the button that goes ahead says: the action, not "OK". */
  confirm: string
  /** To be typed before it goes ahead. */
  name?: string
  /** What it will hit; nothing can be confirmed before that is known. */
  impact?: UseQueryResult<Impact>
  hits?: (impact: Impact) => Hit[]
  /** Between the numbers and the button: what follows from it, and what else to decide. */
  children: React.ReactNode | ((impact: Impact) => React.ReactNode)
  /** Something else is still to be chosen. */
  disabled?: boolean
  /** A action that is no danger after all, such as bringing something back. */
  harmless?: boolean
  send: (typed: string) => Promise<Answer>
  onDone: (answer: Answer) => void
  onCancel: () => void
}

export function DangerDialog<Impact, Answer>(props: DangerDialogProps<Impact, Answer>) {
  const { title, impact, onCancel } = props
  return (
    <FormDialog title={title} width={480} onCancel={onCancel}>
      {impact ? (
        <Loaded fresh query={impact} skeleton={4}>
          {(known) => <Confirmation {...props} known={known} />}
        </Loaded>
      ) : (
        <Confirmation {...props} known={undefined as Impact} />
      )}
    </FormDialog>
  )
}

function Confirmation<Impact, Answer>(
  props: DangerDialogProps<Impact, Answer> & { known: Impact },
) {
  const { known, hits, name, children, send, onDone, onCancel } = props
  const t = useT()
  const form = useForm({ defaultValues: { name: '' } })
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: (values) => send(values.name.trim()),
    done: onDone,
  })
  const typed = useWatch({ control: form.control, name: 'name' })
  const ready = name === undefined || typed.trim() === name
  return (
    <form noValidate onSubmit={onSubmit}>
      <FormError>{failure?.message}</FormError>
      {hits && <Hits hits={hits(known)} />}
      <div className={styles.words}>
        {typeof children === 'function' ? children(known) : children}
      </div>
      {name !== undefined && (
        <Field control={form.control} name="name" label={t('danger.type', { name })}>
          {(input) => (
            <TextInput {...input} autoComplete="off" autoCapitalize="none" spellCheck={false} />
          )}
        </Field>
      )}
      <div className={dialog.actions}>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        <Button
          type="primary"
          danger={!props.harmless}
          htmlType="submit"
          loading={sending}
          disabled={!ready || props.disabled}
        >
          {props.confirm}
        </Button>
      </div>
    </form>
  )
}

function Hits({ hits }: { hits: Hit[] }) {
  return (
    <dl className={styles.hits}>
      {hits.map(({ label, count, most }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <Counted value={count} most={most} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
