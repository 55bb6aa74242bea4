/** A description of an event or property, edited in place. */
import { EditOutlined } from '@ant-design/icons'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button, Input } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { catalogOf } from '../../../api/catalog'
import { FormError } from '../../../components/form/FormError'
import { SubmitButton } from '../../../components/form/SubmitButton'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import styles from './events.module.css'

const DESCRIPTION_MAX = 500

interface DescriptionProps {
  /** The field's accessible name. */
  label: string
  value?: string | null
  editable: boolean
  /** Null removes it. */
  onSave: (text: string | null) => Promise<unknown>
}

export function Description({ label, value, editable, onSave }: DescriptionProps) {
  const t = useT()
  const [editing, setEditing] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)
  // The focused field is gone; return to the button that opened it.
  useEffect(() => {
    if (wasEditing.current && !editing) button.current?.focus()
    wasEditing.current = editing
  }, [editing])

  if (editing) {
    return <Editor {...{ label, value, onSave }} onClose={() => setEditing(false)} />
  }
  return (
    <div className={styles.description}>
      {value ? <p>{value}</p> : <p className={styles.soft}>{t('events.undescribed')}</p>}
      {editable && (
        <Button
          ref={button}
          type="text"
          size="small"
          icon={<EditOutlined aria-hidden />}
          aria-label={t('events.edit', { name: label })}
          title={t('events.edit', { name: label })}
          onClick={() => setEditing(true)}
        />
      )}
    </div>
  )
}

interface EditorProps extends Pick<DescriptionProps, 'label' | 'value' | 'onSave'> {
  onClose: () => void
}

function Editor({ label, value, onSave, onClose }: EditorProps) {
  const t = useT()
  const { app } = useApp()
  const client = useQueryClient()
  const [text, setText] = useState(value ?? '')
  const saving = useMutation({
    mutationFn: () => onSave(text.trim() || null),
    onSuccess: async () => {
      await client.invalidateQueries(catalogOf(app.id))
      onClose()
    },
  })
  return (
    <form
      className={styles.editor}
      onSubmit={(event) => {
        event.preventDefault()
        if (!saving.isPending) saving.mutate()
      }}
    >
      <FormError>{saving.error?.message}</FormError>
      <Input.TextArea
        aria-label={label}
        autoFocus
        value={text}
        maxLength={DESCRIPTION_MAX}
        rows={3}
        onChange={({ target }) => setText(target.value)}
      />
      <div className={styles.actions}>
        <SubmitButton size="small" sending={saving.isPending}>
          {t('common.save')}
        </SubmitButton>
        <Button size="small" disabled={saving.isPending} onClick={onClose}>
          {t('common.cancel')}
        </Button>
      </div>
    </form>
  )
}
