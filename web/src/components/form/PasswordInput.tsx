import { EyeInvisibleOutlined, EyeOutlined } from '@ant-design/icons'
import { TextInput, type TextInputProps } from './TextInput'
import { useState } from 'react'
import { useT } from '../../i18n/useT'
import styles from './PasswordInput.module.css'

/** Ant Design's own toggle cannot be reached by keyboard and has no name; this one is a button. */
export function PasswordInput(props: Omit<TextInputProps, 'type' | 'suffix'>) {
  const t = useT()
  const [shown, setShown] = useState(false)
  return (
    <TextInput
      {...props}
      // Also while it is shown: recordings leave it out.
      data-secret
      type={shown ? 'text' : 'password'}
      // A shown password is still one: no correction, no capitals, no spelling service.
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      suffix={
        <button
          type="button"
          className={styles.toggle}
          aria-label={t(shown ? 'password.hide' : 'password.show')}
          aria-pressed={shown}
          onClick={(event) => {
            // The input would take the focus from whoever works by keyboard.
            event.stopPropagation()
            setShown(!shown)
          }}
        >
          {shown ? <EyeOutlined aria-hidden /> : <EyeInvisibleOutlined aria-hidden />}
        </button>
      }
    />
  )
}
