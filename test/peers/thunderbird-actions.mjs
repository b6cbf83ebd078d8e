/** What a user does in Thunderbird. Runs in Thunderbird's own process with all rights. Names of folders are those of IMAP. */
const { MailServices } = ChromeUtils.importESModule('resource:///modules/MailServices.sys.mjs');

function server() {
  return MailServices.accounts.accounts[0].incomingServer;
}

function mainWindow() {
  return Services.wm.getMostRecentWindow('mail:3pane');
}

function folderList() {
  return mainWindow().gTabmail.currentAbout3Pane;
}

function nameOf(folder) {
  return decodeURIComponent(folder.URI.slice(server().rootFolder.URI.length + 1));
}

function folderOf(name) {
  return server().rootFolder.descendants.find((folder) => nameOf(folder) === name);
}

function messageOf(name, subject) {
  return [...folderOf(name).messages].find((message) => message.subject === subject);
}

export const actions = {
  async storePassword(host, user, password) {
    const login = Cc['@mozilla.org/login-manager/loginInfo;1'].createInstance(Ci.nsILoginInfo);
    login.init(`imap://${host}`, null, `imap://${host}`, user, password, '', '');
    await Services.logins.addLoginAsync(login);
  },

  /** Reads the list of folders again, as when the account is unfolded. */
  readFolders() {
    server().performExpand(mainWindow().msgWindow);
  },

  /** The folders that can be opened, in alphabetical order, with `+` if messages can be added and `-` if messages can be deleted. */
  folders() {
    return server()
      .rootFolder.descendants.filter((folder) => !folder.noSelect)
      .map((folder) =>
        [nameOf(folder), folder.canFileMessages ? '+' : '', folder.canDeleteMessages ? '-' : ''].join(''),
      )
      .sort();
  },

  /** The folders that the window *Subscribe* offers below a name. */
  async subscribable(start) {
    const source = server().QueryInterface(Ci.nsISubscribableServer);
    await new Promise((resolve) => {
      source.subscribeListener = { OnDonePopulating: resolve };
      source.startPopulating(mainWindow().msgWindow, true, false);
    });
    const below = (name) => [name, ...source.getChildURIs(name).flatMap(below)];
    const names = below(start).filter((name) => source.isSubscribable(name));
    source.subscribeCleanup();
    return names;
  },

  subscribe(name) {
    server().QueryInterface(Ci.nsISubscribableServer).subscribe(name);
  },

  openFolder(name) {
    folderList().displayFolder(folderOf(name).URI);
  },

  openMessage(subject) {
    const { threadTree, gDBView } = folderList();
    threadTree.selectedIndex = gDBView.findIndexOfMsgHdr(
      messageOf(nameOf(gDBView.viewFolder), subject),
      true,
    );
  },

  /** The text of the message that is shown. */
  shownText() {
    return mainWindow().gTabmail.currentAboutMessage?.getMessagePaneBrowser()?.contentDocument?.body
      ?.textContent;
  },

  /** Whether a command of the menus is enabled for the message that is shown. */
  isEnabled(command) {
    return folderList().commandController.isCommandEnabled(command);
  },

  command(command) {
    folderList().commandController.doCommand(command);
  },

  /** The messages in the order of their subjects. */
  messages(name) {
    return [...folderOf(name).messages]
      .map(({ subject, isRead, isFlagged }) =>
        [subject, isRead ? 'read' : 'unread', ...(isFlagged ? ['starred'] : [])].join(' '),
      )
      .sort();
  },

  copyMessage(subject, from, to) {
    const [source, message] = [folderOf(from), messageOf(from, subject)];
    MailServices.copy.copyMessages(
      source,
      [message],
      folderOf(to),
      false,
      null,
      mainWindow().msgWindow,
      true,
    );
  },

  deleteFolder(name) {
    folderOf(name).deleteSelf(mainWindow().msgWindow);
  },

  renameFolder(name, newName) {
    folderOf(name).rename(newName, mainWindow().msgWindow);
  },

  createFolder(parent, name) {
    folderOf(parent).createSubfolder(name, mainWindow().msgWindow);
  },
};
