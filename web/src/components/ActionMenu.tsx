import { MoreOutlined } from '@ant-design/icons'
import { Button, Dropdown } from 'antd'
import { useRef } from 'react'

export interface Action {
  key: string
  label: string
  danger?: boolean
  onChoose: () => void
}

interface ActionMenuProps {
  /** Names the row, so that a screen reader can tell the buttons of a column apart. */
  label: string
  actions: Action[]
}

/** What can be done with a row. Nothing where nothing can. */
export function ActionMenu({ label, actions }: ActionMenuProps) {
  const button = useRef<HTMLButtonElement>(null)
  if (actions.length === 0) return null
  return (
    <Dropdown
      trigger={['click']}
      autoFocus
      placement="bottomRight"
      // Inside the page, so that it belongs to it for whoever moves by landmarks; a table would cut it off.
      getPopupContainer={(trigger) => trigger.closest('main') ?? document.body}
      menu={{
        items: actions.map(({ key, label: text, danger }) => ({ key, label: text, danger })),
        onClick: ({ key, domEvent }) => {
          // The same press of Enter must not go on to whatever has the focus next.
          domEvent.preventDefault()
          // What opens next gives the focus back to where it was, and the menu is gone by then.
          button.current?.focus()
          actions.find((action) => action.key === key)?.onChoose()
        },
      }}
    >
      <Button ref={button} type="text" icon={<MoreOutlined aria-hidden />} aria-label={label} />
    </Dropdown>
  )
}
