/**
 * Asks for a passkey's name before the browser prompts: afterwards the passkey would already exist
 * without one.
 */
import { useForm } from 'react-hook-form'
import { addPasskey, passkeyOptions, renamePasskey, type Passkey } from '../../api/security'
import { FormDialog } from '../../components/FormDialog'
import { Field } from '../../components/form/Field'
import { filled } from '../../components/form/rules'
import { TextInput } from '../../components/form/TextInput'
import { useSubmit } from '../../components/form/useSubmit'
import { useT } from '../../i18n/useT'
import { browserAndSystem } from '../../lib/device'
import { createPasskey } from '../../session/passkey'
import { wordedDevice } from './deviceName'

interface Ends {
  onDone: () => void
  onCancel: () => void
}

export function AddPasskeyDialog(ends: Ends) {
  const t = useT()
  return (
    <NameDialog
      {...ends}
      title={t('passkey.add')}
      lead={t('passkey.addText')}
      submit={t('passkey.continue')}
      name={wordedDevice(t, browserAndSystem(navigator.userAgent))}
      save={async (name) => addPasskey(name, await createPasskey(await passkeyOptions()))}
    />
  )
}

export function RenamePasskeyDialog({ passkey, ...ends }: Ends & { passkey: Passkey }) {
  const t = useT()
  return (
    <NameDialog
      {...ends}
      title={t('passkey.renameTitle')}
      submit={t('common.save')}
      name={passkey.name}
      save={(name) => renamePasskey(passkey.id, name)}
    />
  )
}

interface NameDialogProps extends Ends {
  title: string
  lead?: string
  submit: string
  name: string
  save: (name: string) => Promise<unknown>
}

function NameDialog(props: NameDialogProps) {
  const { title, lead, submit, name, save, onDone, onCancel } = props
  const t = useT()
  const form = useForm({ mode: 'onBlur', defaultValues: { name } })
  const submitting = useSubmit(form, {
    send: (values) => save(values.name.trim()),
    done: onDone,
  })
  return (
    <FormDialog
      title={title}
      submitting={submitting}
      submit={submit}
      lead={lead}
      onCancel={onCancel}
    >
      <Field
        control={form.control}
        name="name"
        label={t('passkey.name')}
        hint={t('passkey.nameHint')}
        rules={filled(t('passkey.nameRequired'))}
      >
        {(input) => <TextInput {...input} autoComplete="off" />}
      </Field>
    </FormDialog>
  )
}
