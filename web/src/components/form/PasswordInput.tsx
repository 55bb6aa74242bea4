import { EyeInvisibleOutlined, EyeOutlined } from '@ant-design/icons'
import { TextInput, type TextInputProps } from './TextInput'
import { useState } from 'react'
import { useT } from '../../i18n/useT'
import styles from './PasswordInput.module.css'

/** Ant Design's own toggle isn't reachable by keyboard and has no name; this one is a button. */
export function PasswordInput(props: Omit<TextInputProps, 'type' | 'suffix'>) {
  const t = useT()
  const [shown, setShown] = useState(false)
  return (
    <TextInput
      {...props}
      // Recordings leave it out, even while it is shown.
      data-secret
      type={shown ? 'text' : 'password'}
      // Even a visible password gets no correction, capitalization, or spell checking.
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
            // Otherwise the input would take the focus from the button.
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
