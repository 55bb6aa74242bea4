import { Button, type ButtonProps } from 'antd'
import { useHref, useLinkClickHandler } from 'react-router'

/** Looks like a button, is a link: it can be opened in another tab and is announced as one. */
export function LinkButton({
  to,
  ...props
}: Omit<ButtonProps, 'href' | 'onClick'> & { to: string }) {
  const follow = useLinkClickHandler<HTMLElement>(to)
  return <Button {...props} href={useHref(to)} onClick={(event) => follow(event)} />
}
