import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Capability } from '../account.ts';
import { Can } from './parts.tsx';

/** Link to the page that creates a record, for accounts with the capability. */
export function CreateButton({
  capability,
  to,
  children,
}: {
  readonly capability: Capability;
  readonly to: string;
  readonly children: string;
}) {
  return (
    <Can capability={capability}>
      <Button component={Link} to={to} leftSection={<IconPlus size={16} aria-hidden />}>
        {children}
      </Button>
    </Can>
  );
}
