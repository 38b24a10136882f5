import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { settings } from '../settings.js';
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

const titleOf = (identity: Identity): string =>
  identity.state === 'known' ? nameOf(identity.viewer) : 'Not signed in';

/** Who is signed in; in the demo, a switch between its roles. */
export const Account = ({ identity }: { identity: Identity }) => {
  const hasToken = readToken() !== '';
  if (settings.demoRoles.length === 0 && !hasToken) {
    return <p className="account">{titleOf(identity)}</p>;
  }
  return (
    <MenuTrigger>
      <Button className="account">{titleOf(identity)}</Button>
      <Popover placement="bottom end">
        <Menu
          className="menu"
          selectionMode="single"
          selectedKeys={[readToken()]}
          onAction={(key) => changeToken(String(key) === 'sign-out' ? '' : String(key))}
        >
          {settings.demoRoles.map(({ name, token }) => (
            <MenuItem key={token} id={token} className="menu-item">
              {name}
            </MenuItem>
          ))}
          {hasToken ? (
            <MenuItem id="sign-out" className="menu-item">
              Sign out
            </MenuItem>
          ) : null}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
};
