/** What the sign-in page shows of the outside doors, fetched together: where there is none, none of it is. */
import { Doors } from './Doors'
import { SsoSignIn } from './SsoSignIn'

type OutsideProps =
  | ({ part: 'doors' } & React.ComponentProps<typeof Doors>)
  | ({ part: 'sso' } & React.ComponentProps<typeof SsoSignIn>)

export default function Outside(props: OutsideProps) {
  return props.part === 'doors' ? <Doors {...props} /> : <SsoSignIn {...props} />
}
