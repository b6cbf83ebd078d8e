import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CommandSearch } from './command-search.tsx';
import { matching, useCommands } from './commands.tsx';

/** The command palette. A few letters are enough to find pages, projects, actions, and resources by their id. */
export default function Palette({ onClose }: { onClose(): void }) {
  const [words, setWords] = useState('');
  return (
    <CommandSearch
      name="Command palette"
      label="Search pages, IDs and actions"
      words={words}
      onSearch={setWords}
      commands={matching(useCommands(useNavigate(), words), words)}
      onClose={onClose}
    />
  );
}
