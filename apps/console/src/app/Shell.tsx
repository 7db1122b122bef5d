import {
  AppShell,
  Badge,
  Burger,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  UnstyledButton,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconLogout, IconUserCircle } from '@tabler/icons-react';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type Account, may, useAccount } from '../shared/account.ts';
import { type NavEntry, navSections } from '../shared/area.ts';
import { useProduct } from '../shared/product.ts';
import { roleWords } from '../../../../api/pages/words/operatorWords.ts';
import { useTexts } from '../shared/texts.ts';
import { appTexts } from './appTexts.ts';
import { areas } from './areas.ts';
import { Brand } from './Brand.tsx';
import { LanguageSwitch, ThemeSwitch } from './Preferences.tsx';
import { SearchButton } from './SearchButton.tsx';
import { signOut } from './visitor.ts';
import classes from './Shell.module.css';

/** Frame of every page behind the sign-in. */
export function Shell() {
  const t = useTexts(appTexts);
  const product = useProduct();
  const account = useAccount();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);
  return (
    <AppShell
      header={{ height: 60 }}
      navbar={{ width: 244, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
      layout="alt"
    >
      <a href="#content" className={classes.skip}>
        {t('skip')}
      </a>
      <AppShell.Header className={classes.header} px="md">
        <Group gap="sm" wrap="nowrap">
          <Burger
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="md"
            size="sm"
            aria-label={t('menu')}
            aria-expanded={isOpen}
          />
          <Text fw={650} hiddenFrom="md">
            {product}
          </Text>
        </Group>
        <Group gap={4} wrap="nowrap">
          <SearchButton />
          <LanguageSwitch />
          <ThemeSwitch />
          <UserMenu account={account} />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} aria-label={t('navigation')}>
        <Group justify="space-between" px="md" h={60} wrap="nowrap" className={classes.brand}>
          <Brand />
          <Burger
            opened
            onClick={close}
            hiddenFrom="md"
            size="sm"
            color="white"
            aria-label={t('menu')}
          />
        </Group>
        <ScrollArea flex={1} px="xs" pb="md" viewportProps={{ tabIndex: -1 }}>
          <Navigation account={account} pathname={pathname} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

function Navigation({
  account,
  pathname,
}: {
  readonly account: Account;
  readonly pathname: string;
}) {
  const t = useTexts(appTexts);
  const entries = areas
    .filter(({ isOff }) => isOff?.(account) !== true)
    .flatMap(({ nav }) => nav)
    .filter(({ capability }) => may(account, capability));
  return navSections.map((section) => {
    const those = entries.filter((entry) => entry.section === section);
    if (those.length === 0) return null;
    return (
      <div key={section} role="group" aria-label={t(section)}>
        <Text className={classes.section} aria-hidden>
          {t(section)}
        </Text>
        {those.map((entry) => (
          <Entry key={entry.path} entry={entry} isHere={isBelow(pathname, entry.path)} />
        ))}
      </div>
    );
  });
}

function isBelow(pathname: string, path: string): boolean {
  return pathname === path || (path !== '/' && pathname.startsWith(`${path}/`));
}

const noCount = () => undefined;

function Entry({ entry, isHere }: { readonly entry: NavEntry; readonly isHere: boolean }) {
  const { path, icon: Picture, texts, useCount = noCount } = entry;
  const t = useTexts(texts);
  const count = useCount();
  return (
    <NavLink
      component={Link}
      to={path}
      active={isHere}
      aria-current={isHere ? 'page' : undefined}
      label={t('nav')}
      leftSection={<Picture size={18} stroke={1.6} aria-hidden />}
      rightSection={
        count !== undefined && count > 0 ? (
          <Badge size="sm" className={classes.count}>
            {count}
          </Badge>
        ) : undefined
      }
      className={classes.entry}
    />
  );
}

function UserMenu({ account }: { readonly account: Account }) {
  const t = useTexts(appTexts);
  const roleName = useTexts(roleWords);
  const navigate = useNavigate();
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <UnstyledButton
          className={classes.user}
          aria-label={`${t('account')}: ${account.email ?? account.id}`}
        >
          <IconUserCircle size={24} stroke={1.5} aria-hidden />
          <Text size="sm" visibleFrom="sm" truncate maw={180}>
            {account.email ?? account.id}
          </Text>
          <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {account.email ?? t('openProfile')}
          <br />
          {roleName(account.role)}
        </Menu.Label>
        <Menu.Item
          leftSection={<IconUserCircle size={16} />}
          onClick={() => void navigate({ to: '/account' })}
        >
          {t('account')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          {t('signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
