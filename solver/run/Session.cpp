#include "run/Session.h"

#include "base/AtomicFile.h"
#include "base/Checksum.h"
#include "base/Text.h"
#include "run/SessionJson.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

namespace appa {

namespace {

constexpr std::string_view formatName = "appa-lab session";
constexpr int formatVersion = 1;

/// Of the text of the content: tells an edited file from one that was written here.
std::string checksumOf(const std::string &text)
{
    return hexText(fnv1a(text));
}

Error damaged(const std::string &path, const std::string &why)
{
    return {Error::Kind::Io, "\"" + path + "\" cannot be opened as a session: " + why + " The file was left as it is."};
}

} // namespace

SavedRun savedRun(const Run &run, std::string name)
{
    SavedRun saved;
    saved.name = std::move(name);
    saved.spec = run.spec();
    saved.stop = run.stopRules();
    saved.measuresPerPass = run.measuresPerPass();
    saved.status = run.status();
    saved.message = run.message();
    saved.method = run.method();
    saved.inner = run.inner();
    saved.trace = run.trace();
    return saved;
}

std::string sessionText(const Session &session)
{
    // Names and messages may not be UTF-8; what cannot be written is replaced, before the checksum is taken.
    const std::string content = toJson(session).dump(-1, ' ', false, Json::error_handler_t::replace);
    const Json file = {{"format", formatName}, {"version", formatVersion}, {"checksum", checksumOf(content)}};
    // The content last and on lines of its own, so that the head can be read by eye.
    std::string text = "{\"format\": " + file["format"].dump() + ", \"version\": " + file["version"].dump()
        + ",\n \"checksum\": " + file["checksum"].dump() + ",\n \"session\":\n";
    text += content;
    text += "\n}\n";
    return text;
}

Result<Session> parseSession(const std::string &text, const std::string &path)
{
    if (text.empty())
        return damaged(path, "it is empty.");
    Json file;
    try {
        file = Json::parse(text);
    } catch (const Json::parse_error &e) {
        if (text.find(formatName) == std::string::npos)
            return damaged(path, "it is not a session file.");
        return damaged(path,
                       e.byte >= text.size() ? "it is cut off after " + std::to_string(text.size()) + " bytes."
                                             : "it is damaged at byte " + std::to_string(e.byte) + ".");
    }
    try {
        if (!file.is_object() || file.value("format", std::string()) != formatName)
            return damaged(path, "it is not a session file.");
        const int version = file.at("version").get<int>();
        if (version > formatVersion)
            return damaged(path,
                           "it was written by a newer version of the program (format " + std::to_string(version)
                               + "; this one reads up to " + std::to_string(formatVersion) + ").");
        const Json &content = file.at("session");
        if (file.at("checksum").get<std::string>() != checksumOf(content.dump()))
            return damaged(path, "it was changed by something else after it was saved (its checksum does not fit).");
        return sessionFrom(content);
    } catch (const Json::exception &e) {
        return damaged(path, std::string("a part of it is missing or has the wrong type (") + e.what() + ").");
    }
}

bool isSessionFile(const std::string &path)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored))
        return false;
    std::string head(64, ' ');
    std::ifstream(path, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
    return head.find(formatName) != std::string::npos;
}

Result<Session> readSession(const std::string &path)
{
    const Result<std::string> text = readWholeFile(path);
    if (!text)
        return text.error();
    return parseSession(text.value(), path);
}

std::optional<Error> whyNotReplaced(const std::string &path)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored))
        return std::nullopt;
    const auto present = readSession(path);
    if (present)
        return std::nullopt;
    return Error{Error::Kind::Io, "Nothing was saved: " + present.error().message + " Choose another name."};
}

std::optional<Error> writeSession(const std::string &path, const Session &session, Replace replace)
{
    if (replace == Replace::Sessions)
        if (auto error = whyNotReplaced(path))
            return error;
    return writeAtomically(path, sessionText(session));
}

DataRecipe locatedBeside(const DataRecipe &recipe, const std::string &sessionPath)
{
    namespace fs = std::filesystem;
    const auto located = [&](const std::string &path) {
        std::error_code ignored;
        if (path.find('/') == std::string::npos || fs::exists(path, ignored))
            return path;
        const fs::path beside = fs::path(sessionPath).parent_path() / fs::path(path).filename();
        return fs::exists(beside, ignored) ? beside.string() : path;
    };
    DataRecipe found = recipe;
    found.source = located(recipe.source);
    found.testFile = located(recipe.testFile);
    return found;
}

std::string dataMismatch(const Session &session, const Dataset &data)
{
    if (data.hash == session.dataHash)
        return {};
    return "The data \"" + session.data.source + "\" has changed since the session was saved";
}

} // namespace appa
