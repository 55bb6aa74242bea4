/**
 * Confirms something destructive: shows in numbers what it affects, and, if it can't simply be
 * undone, asks for the name to be typed.
 */
import type { UseQueryResult } from '@tanstack/react-query'
import { useForm, useWatch } from 'react-hook-form'
import { useT } from '../i18n/useT'
import { Counted } from './table/Counted'
import { Field } from './form/Field'
import { TextInput } from './form/TextInput'
import { useSubmit } from './form/useSubmit'
import { Dialog } from './Dialog'
import { DialogForm } from './FormDialog'
import { Loaded } from './Loaded'
import styles from './DangerDialog.module.css'

interface Hit {
  label: string
  /** Null if the server doesn't know. */
  count: number | null | undefined
  /** The count stops at this number. */
  most?: number
}

interface DangerDialogProps<Impact, Answer> {
  title: string
  /** The confirm button's label: the action, not "OK". */
  confirm: string
  /** The name to type before confirming. */
  name?: string
  /** What it affects; nothing can be confirmed before this has loaded. */
  impact?: UseQueryResult<Impact>
  hits?: (impact: Impact) => Hit[]
  /** Between the numbers and the button: consequences and further choices. */
  children: React.ReactNode | ((impact: Impact) => React.ReactNode)
  /** A choice is still missing. */
  disabled?: boolean
  /** Not dangerous after all, such as restoring something. */
  harmless?: boolean
  send: (typed: string) => Promise<Answer>
  onDone: (answer: Answer) => void
  onCancel: () => void
}

export function DangerDialog<Impact, Answer>(props: DangerDialogProps<Impact, Answer>) {
  const { title, impact, onCancel } = props
  return (
    <Dialog title={title} width={480} onCancel={onCancel}>
      {impact ? (
        <Loaded fresh query={impact} skeleton={4}>
          {(known) => <Confirmation {...props} known={known} />}
        </Loaded>
      ) : (
        <Confirmation {...props} known={undefined as Impact} />
      )}
    </Dialog>
  )
}

function Confirmation<Impact, Answer>(
  props: DangerDialogProps<Impact, Answer> & { known: Impact },
) {
  const { known, hits, name, children, send, onDone, onCancel } = props
  const t = useT()
  const form = useForm({ defaultValues: { name: '' } })
  const submitting = useSubmit(form, {
    send: (values) => send(values.name.trim()),
    done: onDone,
  })
  const typed = useWatch({ control: form.control, name: 'name' })
  const ready = name === undefined || typed.trim() === name
  return (
    <DialogForm
      submitting={submitting}
      submit={props.confirm}
      danger={!props.harmless}
      disabled={!ready || props.disabled}
      onCancel={onCancel}
    >
      {hits && <ImpactCounts hits={hits(known)} />}
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
    </DialogForm>
  )
}

function ImpactCounts({ hits }: { hits: Hit[] }) {
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
