/**
 * A small table of what tools do, and to what: words of one meaning in English and seven other languages.
 * @module
 */

import { foldText, stem } from './words.ts'

/**
 * One line a meaning: English words, then `|`, then beginnings of German, French, Spanish and Portuguese words without accents,
 * and Japanese, Korean and Chinese words. Written from general knowledge of what tools are called, not from a benchmark's
 * queries; other languages only for what many catalogs have.
 */
const TABLE = `
create make new generate build register|erstell anleg neue cree nouve crear nuev criar novo 作成 新規 登録 만들 생성 创建 新建
add insert attach append put|hinzufug ajout anad agreg adicion 追加 추가 添加
delete remove erase drop clear trash|losch entfern supprim elimin borr apag 削除 消 삭제 지우 删除 移除
get fetch retrieve read show view see display inspect check detail info|zeig abruf lese affich obten voir mostr ver ler 取得 確認 조회 보여 확인 获取 查看 显示
list all which browse|liste alle welche tous todos 一覧 すべて 목록 모든 列出 所有
search find query locate lookup filter|such finde cherch trouv busc encontr procur 検索 探 검색 찾 搜索 查找
update edit modify change alter set|ander aktualis bearbeit mettre actualiz cambi atualiz 更新 変 編集 수정 변경 更改 修改
send post publish submit notify alert|send envo envi 送 投稿 通知 보내 알림 发送 发布
upload import|hochlad televers sub 업로드 上传
download export save|herunterlad speicher telecharg enregistr descarg 保存 다운로드 下载 导出
move transfer relocate|verschieb deplac mover 移動 이동 移动
copy duplicate clone|複製 복사 复制
rename name title|umbenenn nomm nombre nome 名 이름 重命名
run execute start launch trigger invoke|ausfuhr lanc demarr inici ejecut 実行 開始 실행 시작 运行 启动
stop cancel abort end kill pause disable|beend arret deten 停止 중지 취소 取消
restart reboot reset|
close complete finish resolve done|schliess 完了 閉 완료 完成
assign owner|zuweis attribu asign atribu 担当 담당 分配
comment note remark reply discussion feedback|antwort repon respond コメント 댓글 评论
approve accept confirm|
deploy release rollout|배포 部署
schedule plan appointment calendar meeting event|termin kalender rendez reunion cita agend 予定 会議 일정 예약 日程 会议
convert translate transform|
compare difference diff|vergleich 比較 비교 比较
analyze audit report statistic metric insight|分析 レポート 분석 보고서 报告
link connect associate dependency|verbind lien enlac 接続 连接
share permission access grant role invite|berechtig zugriff partag 共有 権限 招待 권한 공유 权限
restore recover undo revert rollback|
count number many total|anzahl viele combien cuant quant 件 数 多少
write type enter input fill|schreib ecri escrib escrev 書 入力 입력 写
click press tap|
task todo ticket issue item bug card|aufgab tache taref タスク 課題 작업 任务 问题
file document attachment|datei anhang fichier archivo arquivo ファイル 파일 문서 文件 文档
folder directory|ordner verzeichnis dossier carpeta pasta フォルダ 폴더 目录
user member person people account profile contact|benutzer mitglied konto utilisateur usuari miembro cuenta ユーザー メンバー 사용자 계정 用户 成员
team group organization workspace|equip グループ 그룹 팀 团队
project|proyect プロジェクト 프로젝트 项目
message chat conversation|nachricht mensa メッセージ 메시지 消息
email mail inbox|
page site website web url|seite pagin ページ 페이지 页面 网站
table spreadsheet sheet|tabelle tabla tabela 表
row record entry|zeile ligne linha 行 행
column field property|spalte colonne 列 열
database sql|datenbank donnees datos データ 데이터
image picture photo screenshot|bild 画像 写真 이미지 사진 图片
date time day|datum fecha 日 날짜 日期
repository repo|リポジトリ 저장소 仓库
branch|브랜치 分支
code source script|codigo コード 코드 代码
error failure crash|fehler erreur falha エラー 오류 错误
log history activity|protokoll ログ 履歴 로그 기록 日志
status state health progress|estado 状態 상태 状态
server machine instance host|servidor 서버 服务器
password secret credential key token|schlussel clave senha chave パスワード 비밀번호 密码
backup snapshot|
customer client|
payment invoice bill price cost|rechnung preis pago preci 料金 요금 价格
label tag category|schlagwort etiqu ラベル タグ 라벨 태그 标签
setting configuration option config parameter|einstell ajust 設定 설정 设置
location place address map route|adresse lugar 場所 위치 地点 地图
text word content|inhalt 내용 内容
workflow automation pipeline job|
`

/** First letters an unknown word shares with an English one of its meaning: `projekt`, `modifier`. */
const COGNATE = 5
const SHORTEST_BEGINNING = 4
const LONGEST_PART = 6
const LATIN = /^[a-z]+$/

const NONE: readonly string[] = []

/**
 * Meanings of words, each a term for an index. No word begins with their first character.
 *
 * @example
 * ```ts
 * const meanings = new Meanings()
 * meanings.ofWord('deleting', 'delet') // as of 'remove', and of German 'löschen' folded
 * ```
 */
export class Meanings {
  /** By stem of an English word. */
  readonly #words = new Map<string, readonly string[]>()
  /** By beginning of a word of another language. */
  readonly #beginnings = new Map<string, readonly string[]>()
  readonly #cognates = new Map<string, readonly string[]>()
  /** By part of a text without blanks. */
  readonly #parts = new Map<string, readonly string[]>()
  /** First units of those parts: few characters begin one. */
  readonly #starts = new Set<string>()

  /** @param table lines of words as above; default the table here */
  constructor(table: string = TABLE) {
    for (const [line, text] of table.trim().split('\n').entries()) {
      const meaning = `~${line.toString(36)}`
      const [english = '', foreign = ''] = text.split('|')
      for (const word of english.split(' ')) {
        put(this.#words, stem(word), meaning)
        if (word.length >= COGNATE) put(this.#cognates, word.slice(0, COGNATE), meaning)
      }
      for (const word of foreign.split(' ').filter((entry) => entry !== '')) {
        if (LATIN.test(word)) put(this.#beginnings, word, meaning)
        else {
          put(this.#parts, foldText(word), meaning)
          this.#starts.add(foldText(word).charAt(0))
        }
      }
    }
  }

  /**
   * Of a folded word and its stem.
   *
   * @param guess take an English word with the same first letters where nothing else is known; default false
   */
  ofWord(word: string, stemmed: string, guess = false): readonly string[] {
    const exact = this.#words.get(stemmed) ?? this.#beginnings.get(word)
    if (exact !== undefined) return exact
    // The longest beginning that is at least half of the word.
    for (let length = word.length - 1; length >= SHORTEST_BEGINNING && length * 2 >= word.length; length--) {
      const found = this.#beginnings.get(word.slice(0, length))
      if (found !== undefined) return found
    }
    const cognate = guess && word.length >= COGNATE ? this.#cognates.get(word.slice(0, COGNATE)) : undefined
    return cognate ?? NONE
  }

  /** Of the words in a text without blanks, the longest at each place. */
  ofRun(run: string): string[] {
    const found: string[] = []
    for (let at = 0; at < run.length; ) {
      let length = this.#starts.has(run.charAt(at)) ? Math.min(LONGEST_PART, run.length - at) : 0
      while (length > 0 && !this.#parts.has(run.slice(at, at + length))) length--
      if (length > 0) found.push(...(this.#parts.get(run.slice(at, at + length)) as readonly string[]))
      at += Math.max(length, 1)
    }
    return found
  }
}

function put(map: Map<string, readonly string[]>, key: string, meaning: string): void {
  const known = map.get(key) ?? NONE
  if (!known.includes(meaning)) map.set(key, [...known, meaning])
}
