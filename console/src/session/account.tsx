import {
  Button,
  Header,
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
} from 'react-aria-components';
import { settings } from '../settings.js';
import { TOOLS } from '../ui/tools.js';
import { changeToken, readToken } from './token.js';
import type { Identity, Viewer } from './use-identity.js';

const KINDS: Partial<Record<Viewer['kind'], string>> = {
  ADMIN_TOKEN: 'admin token',
  SERVICE_ACCOUNT: 'service account',
};

const nameOf = ({ name, authorName, kind }: Viewer): string => {
  const who = name ?? authorName;
  return KINDS[kind] ? `${who} (${KINDS[kind]})` : who;
};

const titleOf = (identity: Identity): string => {
  if (identity.state === 'known') return nameOf(identity.viewer);
  return identity.state === 'loading' ? '\u00a0' : 'Not signed in';
};

type Props = {
  identity: Identity;
  /** Whether the menu also has the links to other pages. */
  hasTools: boolean;
};

/** Who is signed in; in the demo, a switch between its roles. */
export const Account = ({ identity, hasTools }: Props) => {
  const hasToken = readToken() !== '';
  if (settings.demoRoles.length === 0 && !hasToken && !hasTools) {
    return <p className="account">{titleOf(identity)}</p>;
  }
  return (
    <MenuTrigger>
      <Button className="account">
        <span className="account-name">{titleOf(identity)}</span>
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover placement="bottom end">
        <Menu className="menu">
          {settings.demoRoles.length === 0 ? null : (
            <MenuSection
              selectionMode="single"
              selectedKeys={[readToken()]}
              onSelectionChange={(keys) => {
                const [token] = keys;
                if (token !== undefined) changeToken(String(token));
              }}
            >
              <Header className="menu-header">See the demo as</Header>
              {settings.demoRoles.map(({ name, token }) => (
                <MenuItem key={token} id={token} className="menu-item">
                  {name}
                </MenuItem>
              ))}
            </MenuSection>
          )}
          {hasToken ? (
            <MenuItem id="sign-out" className="menu-item" onAction={() => changeToken('')}>
              Sign out
            </MenuItem>
          ) : null}
          {(hasTools ? TOOLS : []).map(({ name, href }) => (
            <MenuItem key={href} href={href} className="menu-item">
              {name}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
};
