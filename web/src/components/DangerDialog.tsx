/**
 * Before something that hurts: says in numbers what it will hit, and where it cannot be undone at
 * once asks for the name to be typed.
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
    </DialogForm>
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
